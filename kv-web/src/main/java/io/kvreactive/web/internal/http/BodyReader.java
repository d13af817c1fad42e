package io.kvreactive.web.internal.http;

import io.kvreactive.KvException;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * A handler that reads the whole body of a request before it calls the next handler. The size is
 * limited per route and for all requests together. The budget is charged for received bytes,
 * regardless of the announced length, until the request is answered.
 */
public final class BodyReader implements Handler<RoutingContext> {
  private static final String KEY = BodyReader.class.getName();
  private static final Buffer NONE = Buffer.buffer();

  private final ServerMemory memory;
  private final int most;

  /**
   * Creates a reader.
   *
   * @param memory the memory of the server
   * @param most the maximum number of bytes of one body
   */
  public BodyReader(ServerMemory memory, int most) {
    this.memory = memory;
    this.most = most;
  }

  @Override
  public void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    Reading reading = new Reading(context);
    context.put(KEY, reading);
    context.addEndHandler(ended -> reading.release());
    if (request.isEnded()) { // another program's handler may have read the body
      Buffer read = context.body().buffer();
      reading.arrived(read == null ? NONE : read);
      reading.end();
    } else if (declared(request) > most) {
      reading.fail(tooLarge());
    } else {
      if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
        context.response().writeContinue();
      }
      request.handler(reading::arrived);
      request.endHandler(end -> reading.end());
      request.exceptionHandler(broken -> reading.fail(InvalidRequestHandler.ofBody(broken)));
    }
  }

  private static long declared(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    try {
      return length == null ? -1 : Long.parseLong(length);
    } catch (NumberFormatException e) { // rejected by the codec
      return -1;
    }
  }

  private WebException tooLarge() {
    return new WebException(
        WebErrorCode.PAYLOAD_TOO_LARGE,
        "the body is too large (expected: at most %d bytes)".formatted(most));
  }

  private final class Reading {
    private final RoutingContext context;
    private final ByteBudget.Share share = memory.bodies().share();
    private final ByteBudget.Share tree = memory.trees().share();
    private Buffer body = Buffer.buffer();
    private boolean over;

    Reading(RoutingContext context) {
      this.context = context;
    }

    void arrived(Buffer piece) {
      if (over) {
        return; // discards the rest of a rejected body
      }
      if ((long) body.length() + piece.length() > most) {
        fail(tooLarge());
        return;
      }
      try {
        share.take(piece.length());
      } catch (KvException e) {
        AuditEntries.refused(context, "body.refused").with("reason", e.detail()).log();
        fail(e);
        return;
      }
      body.appendBuffer(piece);
    }

    void end() {
      if (!over) {
        over = true;
        context.next();
      }
    }

    void fail(Throwable why) {
      if (!over) {
        over = true;
        release();
        context.fail(why);
      }
    }

    void release() {
      body = NONE;
      share.release();
      tree.release();
    }
  }

  private static @Nullable Reading reading(RoutingContext context) {
    return context.get(KEY);
  }

  /** Returns the number of bytes of the body; 0 if there is none. */
  public static int length(RoutingContext context) {
    Reading reading = reading(context);
    return reading == null ? 0 : reading.body.length();
  }

  /** Returns the body; empty if there is none. */
  public static byte[] bytes(RoutingContext context) {
    Reading reading = reading(context);
    return reading == null ? new byte[0] : reading.body.getBytes();
  }

  /**
   * Charges the memory of the parsed body until the request is answered.
   *
   * @throws KvException OVERLOADED, LIMIT_EXCEEDED
   */
  public static void takeTree(RoutingContext context, long bytes) {
    Reading reading = reading(context);
    if (reading != null) {
      reading.tree.take(bytes);
    }
  }

  /** Releases the memory of the body of a request that no longer needs the body. */
  public static void release(RoutingContext context) {
    Reading reading = reading(context);
    if (reading != null) {
      reading.release();
    }
  }
}
