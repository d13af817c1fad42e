package io.kvreactive.web.internal.feed;

import io.kvreactive.KvCommit;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.WholeSource;
import io.kvreactive.web.internal.http.WholeSource.Whole;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.Responses;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One long poll of a feed: it is answered with the available commits as soon as there are any, or
 * with none when the waiting time has elapsed. Each answer has the position for the next poll.
 * Commits take memory when they arrive, because the feed rests until others write. Signals come on
 * the request's event loop.
 */
final class LongPoll {
  private static final int MAX_BYTES = 1 << 20;

  private final Context here = Outlet.current();
  private final Sinks.Empty<Void> over = Sinks.empty();
  private final int limit;
  private final Versionstamp newest;
  private final Buffer commits = Buffer.buffer();
  private Versionstamp resume;
  private boolean patient = true;
  private boolean caughtUp;
  private int count;

  private LongPoll(int limit, Versionstamp since, Versionstamp newest) {
    this.limit = limit;
    this.newest = newest;
    this.resume = since;
  }

  /**
   * Starts a poll. Must be called on the request's event loop.
   *
   * @param feed the feed after {@code since}, which emits on this event loop
   * @param limit the maximum number of commits
   * @param newest the newest version when the poll began
   */
  static void start(
      RoutingContext context,
      ServerContext serverContext,
      Flux<KvCommit<KvValue>> feed,
      int limit,
      Versionstamp since,
      Versionstamp newest,
      long waitMillis) {
    LongPoll poll = new LongPoll(limit, since, newest);
    Outlet outlet = Outlet.write(context, new WholeSource(memory -> poll.read(feed, memory)));
    outlet.onDrain(serverContext.lifecycle(), poll::impatient);
    outlet.after(waitMillis, poll::impatient);
  }

  private Mono<Whole> read(Flux<KvCommit<KvValue>> feed, ByteBudget.Share memory) {
    return feed.limitRate(1)
        .takeUntil(commit -> isCompleteWith(commit, memory))
        .takeUntilOther(over.asMono())
        .then(Mono.fromSupplier(this::answer)); // also if the store is closed
  }

  /** Adds a commit or a bookmark. Returns true if the answer is complete with it, or without it. */
  private boolean isCompleteWith(KvCommit<KvValue> commit, ByteBudget.Share memory) {
    if (commit.isBookmark()) {
      resume = commit.versionstamp();
      return !patient || count > 0; // all commits before the bookmark have arrived
    }
    byte[] json = DataWriter.bytes(commit);
    long held = 2L * json.length; // here, and in the answer
    if (count == 0) {
      memory.take(held);
    } else if (!memory.tryTake(held)) {
      return true; // the next poll begins with this commit
    }
    resume = commit.versionstamp();
    commits.appendString(count++ == 0 ? "" : ",").appendBytes(json);
    if (!caughtUp && resume.compareTo(newest) >= 0) { // after all commits of this task
      caughtUp = true;
      here.runOnContext(ignored -> end());
    }
    return count == limit || commits.length() >= MAX_BYTES;
  }

  /**
   * Answers because the waiting time has elapsed, or the server stops. If the feed has not reached
   * the version at which the poll began, answers later.
   */
  private void impatient() {
    patient = false;
    if (resume.compareTo(newest) >= 0) {
      end();
    }
  }

  private void end() {
    var unused = over.tryEmitEmpty();
  }

  private Whole answer() {
    Buffer body =
        Buffer.buffer(commits.length() + 64)
            .appendString("{\"versionstamp\":\"" + resume + "\",\"commits\":[")
            .appendBuffer(commits)
            .appendString("]}");
    return Whole.taken(
        List.of(body).iterator(),
        response ->
            Responses.setType(response, Responses.JSON)
                .putHeader(Responses.VERSIONSTAMP, resume.toString()));
  }
}
