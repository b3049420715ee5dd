SELECT revision, evidence FROM registry
