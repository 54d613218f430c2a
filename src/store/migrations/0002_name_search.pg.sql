-- Without the right to create the extension, searches by name read the names one by one.
do $$
begin
  create extension if not exists pg_trgm;
  create index jobs_name_pieces on jobs using gin (name gin_trgm_ops);
exception when others then
  raise notice 'pg_trgm is not available: %', sqlerrm;
end
$$;
