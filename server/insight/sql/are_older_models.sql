-- Whether points were made with the models $1, and later points with other models.
SELECT EXISTS (SELECT FROM models_version
               WHERE sha256 = $1 AND version < (SELECT max(version) FROM models_version))
