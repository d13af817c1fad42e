package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.http.client.StreamProtocol;
import java.util.function.Consumer;
import java.util.function.Function;

/** The changes of items by commits. After a loss it continues after the last commit received. */
record ChangeFeedProtocol<T>(ObjectNode request, Function<JsonNode, ItemChanges<T>> reader)
    implements StreamProtocol<ItemChanges<T>> {
  @Override
  public int receive(JsonNode message, Consumer<ItemChanges<T>> elements) {
    String type = message.path("type").asText();
    if (!type.equals("commit") && !type.equals("bookmark")) {
      return 0; // of a later version of the server
    }
    ItemChanges<T> commit = reader.apply(message);
    request.put("since", commit.versionstamp().toString());
    elements.accept(commit);
    return commit.isBookmark() ? 0 : 1;
  }

  @Override
  public boolean replaces(ItemChanges<T> newer, ItemChanges<T> older) {
    return older.isBookmark() && newer.isBookmark();
  }
}
