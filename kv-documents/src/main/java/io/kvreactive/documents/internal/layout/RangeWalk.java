package io.kvreactive.documents.internal.layout;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.encoding.ContainerHashes;
import io.kvreactive.documents.internal.encoding.DocIds;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.value.Values;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/** A walk over an item that collects its range entries. Not thread-safe; an instance walks once. */
class RangeWalk {
  /** Maximum depth, which only protects the stack: writers of items enforce a lower limit. */
  static final int MAX_DEPTH = 512;

  private final List<byte[]> keys;
  private final Map<String, byte[]> paths;
  private final ContainerHashes hashes;
  private final byte[] docId;
  private final int budget = ValueEncoding.budget(1);
  private final KeyBuffer key = new KeyBuffer();
  private final BitSet present = new BitSet();
  private final BitSet entered = new BitSet();

  RangeWalk(List<byte[]> keys, Map<String, byte[]> paths, ContainerHashes hashes, long docId) {
    this.keys = keys;
    this.paths = paths;
    this.hashes = hashes;
    this.docId = DocIds.encode(docId);
  }

  void walk(PathNode root, JsonNode item) {
    visit(root, item, 0);
    for (PathNode node : root.marked()) {
      int marker = node.marker();
      if (node.markIfNoEntry() && !entered.get(marker)
          || node.markIfAbsent() && !present.get(marker)) {
        add(node, Values.UNDEFINED);
      }
    }
  }

  private void visit(PathNode node, JsonNode value, int depth) {
    if (depth > MAX_DEPTH) {
      throw new DocumentException(
          DocumentErrorCode.ITEM_TOO_LARGE, "An item is nested deeper than " + MAX_DEPTH);
    }
    checkpoint();
    boolean container = value.isContainerNode();
    if (node.marker() >= 0) {
      present.set(node.marker());
    }
    if (container ? node.indexesContainer() : node.indexesScalar()) {
      add(node, value);
      if (node.marker() >= 0) {
        entered.set(node.marker());
      }
    }
    if (container && node.isOpen()) {
      below(node, value, depth + 1);
    }
  }

  private void below(PathNode node, JsonNode value, int depth) {
    if (value.isArray()) {
      PathNode elements = value.isEmpty() ? null : node.elements();
      if (elements != null) {
        for (JsonNode element : value) {
          visit(elements, element, depth);
        }
      }
      return;
    }
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      PathNode child = node.member(member.getKey());
      if (child != null) {
        visit(child, member.getValue(), depth);
      }
    }
  }

  void add(PathNode node, JsonNode value) {
    byte[] prefix = node.prefix();
    if (paths.putIfAbsent(node.text(), prefix) == null && paths.size() > ItemEntries.MAX_PATHS) {
      throw ItemEntries.tooMany(ItemEntries.MAX_PATHS, "different indexed paths");
    }
    key.truncate(0);
    key.add(prefix);
    var unused = ValueEncoding.write(key, value, false, budget, hashes);
    keys.add(key.add(docId).toBytes());
    if (keys.size() > 2 * ItemEntries.MAX_ENTRIES) {
      ItemEntries.checkCount(keys);
    }
  }
}
