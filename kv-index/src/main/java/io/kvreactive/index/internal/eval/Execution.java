package io.kvreactive.index.internal.eval;

import io.kvreactive.index.internal.eval.functions.EvaluationContext;

/** What the rows of a run share. */
record Execution(EvaluationContext context, Budget budget) {}
