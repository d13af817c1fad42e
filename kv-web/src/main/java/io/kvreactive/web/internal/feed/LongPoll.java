package io.kvreactive.web.internal.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvCommit;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.Responses;
import io.vertx.core.Context;
import io.vertx.ext.web.RoutingContext;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * One long poll of a feed. Answers with the available commits as soon as there are any, or with
 * none when the waiting time has elapsed. Each response has the position for the next poll. Must be
 * created, started and signalled on the request's event loop.
 */
final class LongPoll extends BaseSubscriber<KvCommit<KvValue>> {
  private static final int MAX_BYTES = 1 << 20;

  private final RoutingContext context;
  private final int limit;
  private final StreamTimers timers;
  private final Context here;
  private final Versionstamp newest;
  private final ArrayNode commits = JsonNodeFactory.instance.arrayNode();
  private Versionstamp resume;
  private boolean patient = true;
  private boolean caughtUp;
  private boolean answered;
  private long bytes;

  /**
   * Creates a poll.
   *
   * @param limit the maximum number of commits
   * @param since the start of the feed
   * @param newest the newest version when the poll began
   */
  LongPoll(
      RoutingContext context,
      ServerContext serverContext,
      int limit,
      Versionstamp since,
      Versionstamp newest) {
    this.context = context;
    this.limit = limit;
    this.timers = new StreamTimers(serverContext);
    this.here = serverContext.vertx().getOrCreateContext();
    this.newest = newest;
    this.resume = since;
  }

  void start(Flux<KvCommit<KvValue>> feed, long waitMillis) {
    context.addEndHandler(over -> close()); // also runs if the caller disconnects
    feed.subscribe(this);
    timers.onDrain(() -> here.runOnContext(ignored -> impatient()));
    timers.onExpiry(RequestContext.of(context).grant(), this::expire);
    timers.after(waitMillis, this::impatient);
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    request(1);
  }

  @Override
  protected void hookOnNext(KvCommit<KvValue> commit) {
    resume = commit.versionstamp();
    if (commit.isBookmark()) {
      if (!patient || !commits.isEmpty()) { // all commits before the bookmark have arrived
        answer();
        return;
      }
    } else {
      commits.add(ChangeJson.of(commit));
      bytes += ChangeSize.of(commit);
      if (commits.size() == limit || bytes >= MAX_BYTES) {
        answer();
        return;
      }
      if (!caughtUp
          && resume.compareTo(newest) >= 0) { // answers after all commits of this task have arrived
        caughtUp = true;
        here.runOnContext(ignored -> answer());
      }
    }
    request(1);
  }

  /**
   * Answers because the waiting time has elapsed. If the feed has not reached the version at which
   * the poll began, answers later.
   */
  private void impatient() {
    patient = false;
    if (resume.compareTo(newest) >= 0) {
      answer();
    }
  }

  private void answer() {
    if (answered) {
      return;
    }
    close();
    Responses.stamp(context, resume);
    ObjectNode body = ChangeJson.stamp(resume);
    body.set("commits", commits);
    Responses.json(context, body);
  }

  private void expire() {
    hookOnError(
        new WebException(WebErrorCode.UNAUTHENTICATED, "the token has expired or was revoked"));
  }

  @Override
  protected void hookOnError(Throwable failure) {
    if (!answered) {
      close();
      context.fail(failure);
    }
  }

  @Override
  protected void hookOnComplete() { // the store is closed
    answer();
  }

  private void close() {
    answered = true;
    timers.close();
    cancel();
  }
}
