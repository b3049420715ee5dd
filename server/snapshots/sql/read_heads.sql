-- $1: a revision number. `known`: the current token of that revision; null: no such revision.
SELECT revision, token_of(revision) AS token, origin, token_of($1) AS known FROM registry
