CREATE TABLE documents (id text NOT NULL, owner_id text NOT NULL);
CREATE TABLE shares (document_id text, user_id text);
