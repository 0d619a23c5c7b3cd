CREATE TABLE documents (id text PRIMARY KEY, created_at datetime, amount numeric NOT NULL, photo blob);
