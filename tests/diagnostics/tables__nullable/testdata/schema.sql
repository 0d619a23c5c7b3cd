CREATE TABLE documents (id text NOT NULL PRIMARY KEY, status text);
