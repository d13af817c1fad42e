package io.kvreactive.internal.shared;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor that runs tasks on a Vert.x context, in order. Drops tasks after the Vert.x instance
 * is closed: they have no receiver any more, and other subscribers must still get their signals.
 */
public final class ContextExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ContextExecutor.class);

  private final Context context;

  private ContextExecutor(Context context) {
    this.context = context;
  }

  /** Returns the executor of the context that is current on this thread, or null. */
  public static @Nullable Executor current() {
    Context context = Vertx.currentContext();
    return context == null ? null : new ContextExecutor(context);
  }

  @Override
  public void execute(Runnable task) {
    try {
      context.runOnContext(ignored -> task.run());
    } catch (RejectedExecutionException e) {
      LOG.debug("a signal was dropped: the subscriber's Vert.x instance is closed", e);
    }
  }
}
