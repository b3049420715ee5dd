SELECT version, sha256 FROM targets_version ORDER BY version DESC LIMIT 1
