CREATE TABLE documents (id text PRIMARY KEY, owner text COLLATE NOCASE NOT NULL, team text COLLATE RTRIM, title text COLLATE NOCASE);
