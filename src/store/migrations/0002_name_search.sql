-- Three-letter pieces of job names. Filled a little later than the jobs themselves (impl/name_index.h), so that a submit
-- does not pay for it. No texts and no positions are kept: a hit is compared with the name itself.
create virtual table job_names using fts5 (name, content = '', tokenize = 'trigram', detail = none, columnsize = 0);
