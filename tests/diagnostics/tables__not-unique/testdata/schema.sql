CREATE TABLE documents (owner text);
CREATE TABLE users (id integer PRIMARY KEY, email text, name text);
CREATE UNIQUE INDEX living ON users (email) WHERE name IS NOT NULL;
