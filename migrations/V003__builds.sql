-- What builds of AITER can run: manifests (core/builds/manifest.h), each for ever under NAME@sha256. The one
-- that was put last is what a bare NAME means.
CREATE SEQUENCE build_put;
CREATE TABLE build (
  name     text NOT NULL,
  sha256   text NOT NULL,                    -- of the manifest
  kind     text NOT NULL CHECK (kind IN ('buildable', 'compiled')),
  put      bigint NOT NULL DEFAULT nextval('build_put'),
  created  timestamptz NOT NULL DEFAULT clock_timestamp(),
  api_key  bigint NOT NULL,
  summary  json NOT NULL,                    -- {"versions":{...},"kernels":N,"modules":{...}}
  manifest text NOT NULL,                    -- canonical
  PRIMARY KEY (name, sha256)
);
CREATE UNIQUE INDEX build_newest ON build (put);
