-- One text for both databases. In PostgreSQL `integer` is read as bigint, `blob` as bytea, `text` compares bytes, and
-- `without rowid` is left out; `:now` is the time of the migration. Times are UTC milliseconds; enumerations are the
-- numbers of their enumerators, which never change (impl/codes.h).

create table sequences (
  name text primary key,
  value integer not null
) without rowid;

create table meta (
  name text primary key,
  value text not null
) without rowid;

create table settings (
  name text primary key,
  value text not null
) without rowid;

create table users (
  id integer primary key,
  name text not null,
  name_key text not null unique,
  display_name text not null,
  email text not null,
  administrator integer not null,
  disabled integer not null,
  password_hash text not null,
  created_at integer not null,
  last_seen_at integer
);

create table workspaces (
  id integer primary key,
  name text not null unique,
  description text not null,
  created_at integer not null
);
insert into workspaces (id, name, description, created_at) values (1, 'default', '', :now);

create table memberships (
  user_id integer not null,
  workspace_id integer not null,
  role integer not null,
  primary key (user_id, workspace_id)
) without rowid;
create index memberships_workspace on memberships (workspace_id, user_id);

create table tokens (
  id integer primary key,
  user_id integer not null,
  name text not null,
  hash text not null unique,
  scopes text not null,
  created_at integer not null,
  expires_at integer,
  last_used_at integer,
  unique (user_id, name)
);

create table sessions (
  hash text primary key,
  user_id integer not null,
  client text not null,
  created_at integer not null,
  expires_at integer not null,
  last_seen_at integer
) without rowid;
create index sessions_user on sessions (user_id);

create table sign_in_links (
  hash text primary key,
  user_id integer not null,
  created_at integer not null,
  expires_at integer not null
) without rowid;

-- What lists show, filter and sort by, and what recovery needs; the file itself is in job_files.
create table jobs (
  seq integer primary key,
  id text not null,
  name text not null,
  handle text not null,
  handle_number integer not null,
  owner_id integer not null,
  workspace_id integer not null,
  dialect integer not null,
  priority integer not null,
  created_at integer not null,
  role_counts text not null,
  gpus_total integer not null,
  ttl integer,
  idempotency_key text,
  version integer not null,
  state integer not null,
  ending_as integer,
  attempt integer not null,
  retries text,
  decision text,
  queued_at integer not null,
  not_before integer,
  placed_at integer,
  started_at integer,
  decided_at integer,
  stop_at integer,
  ended_at integer,
  ran integer not null,
  time_limit integer,
  expires_at integer
);
create unique index jobs_id on jobs (id);
-- The handle is the name, or name-number where the owner has a job so called.
create unique index jobs_handle on jobs (owner_id, name, handle_number);
-- A cell is one combination of workspace, dialect and state. Lists merge the cells they want, each in the order of seq,
-- so any combination of filters reads about as many entries as it shows (impl/job_pages.h).
create index jobs_cell on jobs (workspace_id, dialect, state, seq);
create index jobs_owner on jobs (owner_id, state, seq, workspace_id, dialect);
create index jobs_name on jobs (name, seq, owner_id, workspace_id, dialect);
create index jobs_ended on jobs (ended_at, seq, owner_id, workspace_id, dialect, state) where ended_at is not null;
create index jobs_expires on jobs (expires_at, seq) where expires_at is not null;

-- How many jobs of each owner a cell holds; owner 0 stands for everybody.
create table job_counts (
  owner_id integer not null,
  workspace_id integer not null,
  dialect integer not null,
  state integer not null,
  jobs integer not null,
  primary key (owner_id, workspace_id, dialect, state)
) without rowid;

-- body: zstd of the original followed by the spec as JSON; original_size tells where one ends.
create table job_files (
  job_seq integer primary key,
  media_type text not null,
  sha256 text not null,
  secret_ranges text not null,
  original_size integer not null,
  body blob not null
);

create table job_labels (
  job_seq integer not null,
  key text not null,
  value text not null,
  owner_id integer not null,
  primary key (job_seq, key)
) without rowid;
create index job_labels_value on job_labels (key, value, job_seq);
create index job_labels_owner on job_labels (owner_id, key, value, job_seq);
create index job_labels_key on job_labels (key, job_seq, owner_id);

-- Attempts before the present one, which is in jobs.
create table attempts (
  job_seq integer not null,
  attempt integer not null,
  queued_at integer not null,
  placed_at integer,
  started_at integer,
  decided_at integer,
  ended_at integer,
  decision text,
  primary key (job_seq, attempt)
) without rowid;

-- One row per try. A task without a row waits for its first try.
create table tasks (
  job_seq integer not null,
  attempt integer not null,
  role integer not null,
  task integer not null,
  tries integer not null,
  state integer not null,
  restarts integer not null,
  lost_restarts integer not null,
  placement text,
  started_at integer,
  ended_at integer,
  ending text,
  hold_until integer,
  primary key (job_seq, attempt, role, task, tries)
) without rowid;

-- job_id is kept only where the job is gone.
create table events (
  id integer primary key,
  job_seq integer,
  job_id text,
  workspace_id integer,
  owner_id integer,
  at integer not null,
  kind text not null,
  actor text not null,
  data text not null
);
create index events_job on events (job_seq, id);

create table idempotency_keys (
  owner_id integer not null,
  key text not null,
  body_hash text not null,
  job_seq integer not null,
  created_at integer not null,
  primary key (owner_id, key)
) without rowid;
