UPDATE registry SET evidence = evidence + 1 RETURNING revision
