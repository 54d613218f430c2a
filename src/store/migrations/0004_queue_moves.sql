-- Where administrators put waiting jobs in the queue is found again in the events that say so.
create index events_moved on events (job_seq) where kind = 'job.moved';
