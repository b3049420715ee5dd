-- A sender names what an import is made from by a digest of its own, so that the same need neither be read nor
-- sent again.
ALTER TABLE run ADD COLUMN sent text;  -- that digest, with all by which the hub judged the rows and whose key it was

-- What the sender found as it read those files: it is told so where it does not read them again.
CREATE TABLE sent_report (
  sent   text PRIMARY KEY,  -- as in run.sent
  report text NOT NULL      -- a JSON object
);
