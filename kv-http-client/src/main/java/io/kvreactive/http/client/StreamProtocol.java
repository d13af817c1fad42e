package io.kvreactive.http.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;

/**
 * The messages of one kind of stream. An instance serves one subscription; its methods are called
 * one at a time.
 *
 * @param <T> the type of the elements
 */
public interface StreamProtocol<T> {
  /**
   * Returns true if the stream continues after a lost connection, for ever once the server has
   * answered. Otherwise it starts again if there was no element yet, and fails if there was.
   */
  default boolean continues() {
    return true;
  }

  /** Returns true if the server counts the stream as a query. */
  default boolean isQuery() {
    return false;
  }

  /** Returns the message that opens the stream, at first or again, without id and credit. */
  ObjectNode request();

  /**
   * Converts a message.
   *
   * @param elements the consumer of the elements
   * @return the number of elements that cost credit
   */
  int receive(JsonNode message, Consumer<T> elements);

  /** Returns true if the server limits the bytes of unconfirmed messages of this kind. */
  default boolean limitsBytes() {
    return true;
  }

  /** Receives the reason for which the stream will be opened again after a pause. */
  default void lost(RuntimeException reason) {}

  /** Returns true if a newer element makes an older one, which was not emitted, superfluous. */
  default boolean replaces(T newer, T older) {
    return false;
  }
}
