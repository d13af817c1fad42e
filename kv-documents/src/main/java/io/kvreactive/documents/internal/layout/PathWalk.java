package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.ContainerHashes;
import java.util.List;
import java.util.Map;

/**
 * A walk that collects only the paths of range entries, of which there are at most as many as the
 * item has values.
 */
final class PathWalk extends RangeWalk {
  private final Map<String, byte[]> paths;

  PathWalk(Map<String, byte[]> paths) {
    super(List.of(), paths, new ContainerHashes(), 1);
    this.paths = paths;
  }

  @Override
  void add(PathNode node, JsonNode value) {
    paths.putIfAbsent(node.text(), node.prefix());
  }
}
