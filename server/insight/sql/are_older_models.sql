-- Models that points were made with, before others.
SELECT EXISTS (SELECT FROM models_version
               WHERE sha256 = $1 AND version < (SELECT max(version) FROM models_version))
