// The reason why there is no answer, as users see it.
export interface Problem {
  kind: 'gone' | 'refused' | 'failed';  // gone: no answer; refused: a key is needed; failed: any other error
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
