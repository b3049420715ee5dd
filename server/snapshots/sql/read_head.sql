SELECT revision, token_of(revision) FROM registry
