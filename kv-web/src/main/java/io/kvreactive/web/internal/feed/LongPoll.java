package io.kvreactive.web.internal.feed;

import io.kvreactive.KvCommit;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.Responses;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The source of the answer to one long poll of a feed: the available commits as soon as there are
 * any, or none when the waiting time has elapsed. Each answer has the position for the next poll.
 * Must be created, started and signalled on the request's event loop.
 */
final class LongPoll extends BaseSubscriber<KvCommit<KvValue>> implements Outlet.Source {
  private static final int MAX_BYTES = 1 << 20;

  private final Flux<KvCommit<KvValue>> feed;
  private final int limit;
  private final StreamTimers timers;
  private final Context here = Outlet.current();
  private final Versionstamp newest;
  private final Buffer commits = Buffer.buffer();
  private Versionstamp resume;
  private boolean patient = true;
  private boolean caughtUp;
  private boolean answered;
  private int count;
  private ByteBudget.@Nullable Share memory;
  private @Nullable MonoSink<Outlet.Part> answer;

  /**
   * Creates a poll.
   *
   * @param limit the maximum number of commits
   * @param since the start of the feed
   * @param newest the newest version when the poll began
   */
  LongPoll(
      ServerContext serverContext,
      Flux<KvCommit<KvValue>> feed,
      int limit,
      Versionstamp since,
      Versionstamp newest,
      long waitMillis) {
    this.feed = feed;
    this.limit = limit;
    this.timers = new StreamTimers(serverContext);
    this.newest = newest;
    this.resume = since;
    timers.onDrain(() -> here.runOnContext(ignored -> impatient()));
    timers.after(waitMillis, this::impatient);
  }

  @Override
  public long nextBytes() {
    return 0; // the feed rests until others write; commits take memory when they arrive
  }

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share shared) {
    return Mono.create(
        sink -> {
          memory = shared;
          answer = sink;
          feed.subscribe(this);
        });
  }

  @Override
  public boolean done() {
    return answered;
  }

  @Override
  public void setHeaders(HttpServerResponse response) {
    response
        .putHeader("Content-Type", Responses.JSON)
        .putHeader("Cache-Control", "no-store")
        .putHeader(Responses.VERSIONSTAMP, resume.toString());
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    request(1);
  }

  @Override
  protected void hookOnNext(KvCommit<KvValue> commit) {
    if (answered) {
      return;
    }
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
      if (count > 0) {
        answer(); // the next poll begins with this commit
      } else {
        memory.take(held); // fails
      }
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
    if (answered || answer == null) {
      return;
    }
    answered = true;
    cancel();
    Buffer body =
        Buffer.buffer(commits.length() + 64)
            .appendString("{\"versionstamp\":\"" + resume + "\",\"commits\":[")
            .appendBuffer(commits)
            .appendString("]}");
    answer.success(new Outlet.Part(0, List.of(body).iterator())); // its memory was taken
  }

  @Override
  protected void hookOnError(Throwable failure) {
    if (!answered && answer != null) {
      answered = true;
      answer.error(failure);
    }
  }

  @Override
  protected void hookOnComplete() { // the store is closed
    answer();
  }

  @Override
  public void close() {
    answered = true;
    timers.close();
    cancel();
  }
}
