// The reason why there is no answer, for users.
export interface Problem {
  kind: 'gone' | 'refused' | 'failed';  // no answer; a key is needed; any other error
  status: number;
  code: string;
  detail: string;
}

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return {kind: 'gone', status: 0, code: 'gone', detail: 'the server does not answer'};
}
