-- Since when a task is told to stop, and whether only to start again: a restarted server goes on from there.
alter table tasks add column stopping_since integer;
alter table tasks add column restarting integer not null default 0;
