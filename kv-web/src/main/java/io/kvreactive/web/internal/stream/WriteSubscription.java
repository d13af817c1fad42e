package io.kvreactive.web.internal.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.internal.rest.StrictJson;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * A write of items: reports of its progress, and its answer, which ends it. They need no credit.
 *
 * <p>Writes of a connection take turns: a limited number of them runs or holds an answer, and none
 * begins while the connection has no room. An answer is held however large it is, because the write
 * has taken effect.
 */
final class WriteSubscription extends FluxSubscription<WriteSubscription.Answer> {
  /**
   * A report or an answer to be sent.
   *
   * @param members an object as JSON in ASCII characters, without its first character
   */
  record Answer(String members, boolean isLast) {
    static Answer of(ObjectNode json) {
      return new Answer(StrictJson.ascii(json).substring(1), json.path("done").asBoolean(true));
    }
  }

  private final String type;
  private final Flux<Answer> answers;

  /**
   * Creates a write, which does nothing before its first turn.
   *
   * @param answers reports with {@code "done":false}, and one answer
   */
  WriteSubscription(StreamSocket socket, ClientFrame.Write requested, Flux<ObjectNode> answers) {
    super(socket, requested, false, 1);
    this.type = requested.op();
    this.answers = answers.map(Answer::of);
  }

  @Override
  boolean isWrite() {
    return true;
  }

  @Override
  boolean reads() {
    return hasPermit() && peek() == null;
  }

  @Override
  Flux<Answer> elements() {
    // not on the connection's context, so that JSON is written on other threads
    return answers.subscribeOn(Schedulers.parallel(), false);
  }

  @Override
  int bytes(Answer answer) {
    return answer.members().length();
  }

  @Override
  boolean isFree(Answer answer) {
    return true;
  }

  @Override
  int mostAhead() {
    return 1;
  }

  @Override
  boolean mayRequest() {
    return hasPermit() || !waitsIfFull() && socket.writes().take(this);
  }

  @Override
  int writeNext() {
    Answer answer = remove();
    socket.frames().answer(id, type, answer.members());
    int bytes = send();
    if (answer.isLast()) {
      socket.remove(this);
    }
    return bytes;
  }

  @Override
  void release() {
    super.release();
    socket.writes().release(this);
  }
}
