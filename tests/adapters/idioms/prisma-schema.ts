/** The models that `prismaMapping` names. */
export const DOCUMENT_SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "client"
}
datasource db {
  provider = "postgresql"
}
model Document {
  id        Int      @id
  owner     String?
  assignee  String?
  status    String
  title     String?
  email     String?
  amount    Int?
  price     Float?
  shared    Boolean?
  createdAt DateTime @db.Timestamptz(3)
  expiresAt DateTime? @db.Timestamptz(3)
  path      String?
  ip        String?
  tags      String[]
  home      Home?
  shares    Share[]
  project   Project?
}
model Home {
  documentId Int      @id
  city       String?
  document   Document @relation(fields: [documentId], references: [id])
}
model Share {
  id         Int       @id
  user       String
  team       String?
  role       String?
  until      DateTime? @db.Timestamptz(3)
  documentId Int
  document   Document  @relation(fields: [documentId], references: [id])
}
model Project {
  documentId Int      @id
  lead       String?
  org        String
  public     Boolean
  document   Document @relation(fields: [documentId], references: [id])
}
`;

/** What the adapter reads of a client that was generated from the schema, for tests that run no query. */
export const DOCUMENT_CLIENT = {
  $extends: undefined,
  _engineConfig: { inlineSchema: DOCUMENT_SCHEMA, activeProvider: 'postgresql' },
  ...Object.fromEntries(
    [...DOCUMENT_SCHEMA.matchAll(/^model (\w)(\w+) \{([^}]*)\}/gm)].map(([, first = '', rest, body = '']) => [
      first.toLowerCase() + rest,
      {
        fields: Object.fromEntries(
          [...body.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => [name, { modelName: first + rest, name }]),
        ),
      },
    ]),
  ),
};
