-- Content by hash; a version's closure and a publication's manifest are JSON lists of [path, hash]. format: of the
-- definitions' language in which a version is written.
create table files (
  hash blob not null primary key,
  content blob not null
);

create table versions (
  workflow text not null,
  version blob not null,
  closure text not null,
  format integer not null,
  primary key (workflow, version)
);

-- versions: JSON list of [workflow, version] that this publication made known.
create table publications (
  number integer not null primary key,
  at integer not null,
  actor text not null,
  manifest text not null,
  versions text not null
);

create table kv (
  bucket text not null,
  key text not null,
  value text not null,
  primary key (bucket, key)
);
