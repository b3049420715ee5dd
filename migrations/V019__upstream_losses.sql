-- Rows of upstream and of admins among the lost ones: all other owners share one budget of them.
ALTER TABLE loss ADD COLUMN upstream bigint NOT NULL DEFAULT 0;
CREATE INDEX loss_family ON loss (family);
