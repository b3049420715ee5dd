SELECT token_of(revision) FROM registry
