import type { Problem } from "./types.js";

/**
 * An error that the server reported, or the loss of the connection to it.
 *
 * The client itself has the codes UNREACHABLE (no answer), CONNECTION_LOST (an answer that broke off), BAD_RESPONSE
 * (an answer that is not from a kv-reactive server) and CLOSED (the client is closed), with the status 0. So have INVALID_KEY,
 * INVALID_VALUE and LIMIT_EXCEEDED if the client refuses what it would send.
 */
export class KvError extends Error {
  override readonly name = "KvError";
  /** The stable code, such as ITEM_EXISTS. */
  readonly code: string;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** All members of the answer, such as `errors` of a query, `failedOperation` of a batch and `since`, `oldest` and `lost` of COMPACTED. */
  readonly problem: Partial<Problem>;
  /** Of a load: the number of items in earlier requests, which are stored. The number of a line is counted from there. */
  itemsBefore?: number;

  constructor(problem: Partial<Problem>, options?: ErrorOptions) {
    const code = problem.code ?? "BAD_RESPONSE";
    super(problem.detail ? `${code}: ${problem.detail}` : code, options);
    this.code = code;
    this.status = problem.status ?? 0;
    this.retryable = problem.retryable ?? false;
    this.problem = problem;
  }

  /** Creates an error of the client itself. */
  static local(code: string, detail: string, retryable: boolean, cause?: unknown): KvError {
    return new KvError({ code, detail, retryable }, cause === undefined ? undefined : { cause });
  }
}
