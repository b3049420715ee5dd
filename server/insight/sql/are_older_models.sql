-- True if servers made points with the models of digest $1, and later points with other models.
SELECT EXISTS (SELECT FROM models_version
               WHERE sha256 = $1 AND version < (SELECT max(version) FROM models_version))
