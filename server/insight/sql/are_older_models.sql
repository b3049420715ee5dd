-- Models with which points were made, before other models.
SELECT EXISTS (SELECT FROM models_version
               WHERE sha256 = $1 AND version < (SELECT max(version) FROM models_version))
