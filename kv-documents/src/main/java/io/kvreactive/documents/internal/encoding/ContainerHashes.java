package io.kvreactive.documents.internal.encoding;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hashes of the arrays and objects of one item. Equal containers have equal hashes, regardless of
 * the order of members. Each hash is computed once from the hashes inside, so that the total time
 * is linear in the size of the item. Not thread-safe.
 */
public final class ContainerHashes {
  /** Maximum depth, which only protects the stack: writers of items enforce a lower limit. */
  static final int MAX_DEPTH = 512;

  private @Nullable IdentityHashMap<JsonNode, byte[]> known; // most values are no containers
  private @Nullable MessageDigest digest;

  /** Returns the 32-byte hash of an array or object. */
  byte[] of(JsonNode container) {
    return of(container, 0);
  }

  private byte[] of(JsonNode container, int depth) {
    IdentityHashMap<JsonNode, byte[]> hashes = known;
    if (hashes == null) {
      hashes = new IdentityHashMap<>();
      known = hashes;
    }
    byte[] hash = hashes.get(container);
    if (hash == null) {
      if (depth > MAX_DEPTH) {
        throw new DocumentException(
            DocumentErrorCode.ITEM_TOO_LARGE, "A value is nested deeper than " + MAX_DEPTH);
      }
      KeyBuffer content = new KeyBuffer(256);
      if (container.isArray()) {
        content.add(ValueEncoding.ARRAY);
        for (JsonNode element : container) {
          value(content, element, depth);
        }
      } else {
        object(content, container, depth);
      }
      if (digest == null) {
        digest = Sha256.newDigest();
      }
      hash = digest.digest(content.toBytes());
      hashes.put(container, hash);
    }
    return hash;
  }

  private void object(KeyBuffer content, JsonNode object, int depth) {
    content.add(ValueEncoding.OBJECT);
    List<String> names = new ArrayList<>(object.size());
    for (Iterator<String> i = object.fieldNames(); i.hasNext(); ) {
      names.add(i.next());
    }
    names.sort(null);
    for (String name : names) {
      JsonNode member = object.path(name);
      if (!member.isMissingNode()) {
        ValueEncoding.string(content, name, Integer.MAX_VALUE);
        value(content, member, depth);
      }
    }
  }

  private void value(KeyBuffer content, JsonNode value, int depth) {
    checkpoint();
    if (value.isContainerNode()) {
      content.add(value.isArray() ? ValueEncoding.ARRAY : ValueEncoding.OBJECT);
      content.add(of(value, depth + 1));
    } else {
      ValueEncoding.write(content, value, false, Integer.MAX_VALUE, this);
    }
  }
}
