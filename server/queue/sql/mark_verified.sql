-- Records that the server plans a job for the rows of the shape keys $1.
UPDATE tuned SET verified = now() WHERE key = ANY ($1::uuid[]) AND provider = 1
