// Why there is no answer, in words for people.
export interface Problem {
  kind: 'gone' | 'refused' | 'failed';  // nobody answers; a key is wanted; the server says no
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
