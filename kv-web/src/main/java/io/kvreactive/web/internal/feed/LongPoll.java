package io.kvreactive.web.internal.feed;

import io.kvreactive.KvCommit;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.CancellableSubscriber;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.WholeSource;
import io.kvreactive.web.internal.http.WholeSource.Whole;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.Responses;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One long poll of a feed: it is answered with the available commits as soon as there are any, or
 * with none when the waiting time has elapsed. Each answer has the position for the next poll.
 * Commits take memory when they arrive, because the feed rests until others write. Signals come on
 * the request's event loop.
 */
final class LongPoll extends CancellableSubscriber<KvCommit<KvValue>> {
  private static final int MAX_BYTES = 1 << 20;

  private final Context here = Outlet.current();
  private final int limit;
  private final Versionstamp newest;
  private final Buffer commits = Buffer.buffer();
  private Versionstamp resume;
  private boolean patient = true;
  private boolean caughtUp;
  private int count;
  private ByteBudget.@Nullable Share memory; // null until the feed is subscribed to, as the next
  private @Nullable MonoSink<Whole> answer;

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

  private Mono<Whole> read(Flux<KvCommit<KvValue>> feed, ByteBudget.Share share) {
    return Mono.create(
        sink -> {
          memory = share;
          answer = sink;
          sink.onDispose(this); // also by the answer
          feed.subscribe(this);
        });
  }

  @Override
  protected void subscribed() {
    request(1);
  }

  @Override
  protected void received(KvCommit<KvValue> commit) {
    if (commit.isBookmark()) {
      resume = commit.versionstamp();
      if (!patient || count > 0) { // all commits before the bookmark have arrived
        answer();
        return;
      }
    } else if (!add(commit)) {
      return;
    }
    request(1);
  }

  /** Adds a commit. Returns false if the answer is complete with it, or without it. */
  private boolean add(KvCommit<KvValue> commit) {
    byte[] json = DataWriter.bytes(commit);
    long held = 2L * json.length; // here, and in the answer
    if (memory != null && !memory.tryTake(held)) {
      refuse(memory, held);
      return false;
    }
    resume = commit.versionstamp();
    commits.appendString(count++ == 0 ? "" : ",").appendBytes(json);
    if (count == limit || commits.length() >= MAX_BYTES) {
      answer();
      return false;
    }
    if (!caughtUp && resume.compareTo(newest) >= 0) { // after all commits of this task
      caughtUp = true;
      here.runOnContext(ignored -> answer());
    }
    return true;
  }

  /** Ends the poll before a commit for which there is no memory. The next poll begins with it. */
  private void refuse(ByteBudget.Share share, long bytes) {
    if (count > 0) {
      answer();
      return;
    }
    try {
      share.take(bytes); // fails
      share.give(bytes);
      failed(share.overloaded(bytes));
    } catch (KvException e) {
      failed(e);
    }
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
    if (answer == null || isDisposed()) {
      return;
    }
    Buffer body =
        Buffer.buffer(commits.length() + 64)
            .appendString("{\"versionstamp\":\"" + resume + "\",\"commits\":[")
            .appendBuffer(commits)
            .appendString("]}");
    answer.success(Whole.taken(List.of(body).iterator(), this::setHeaders));
  }

  private void setHeaders(HttpServerResponse response) {
    response
        .putHeader("Content-Type", Responses.JSON)
        .putHeader("Cache-Control", "no-store")
        .putHeader(Responses.VERSIONSTAMP, resume.toString());
  }

  @Override
  protected void failed(Throwable failure) {
    if (answer != null) {
      answer.error(failure);
    }
  }

  @Override
  protected void completed() { // the store is closed
    answer();
  }
}
