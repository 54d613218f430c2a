-- Which uploaded code a job uses: code that no job uses any more is removed.
create table job_uploads (
  job_seq integer not null,
  sha256 text not null,
  primary key (job_seq, sha256)
) without rowid;
create index job_uploads_sha256 on job_uploads (sha256);
