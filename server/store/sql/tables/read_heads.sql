SELECT revision, evidence AS writes FROM registry
