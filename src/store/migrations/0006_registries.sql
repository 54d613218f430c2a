-- How people and workspaces sign in to image registries: one of user_id and workspace_id is 0. The password is sealed
-- with the key of the data directory.
create table registry_logins (
  user_id integer not null,
  workspace_id integer not null,
  server text not null,
  username text not null,
  sealed_password text not null,
  primary key (user_id, workspace_id, server)
) without rowid;
