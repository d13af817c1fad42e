package io.kvreactive.web.internal.auth;

import static io.kvreactive.web.internal.auth.Operation.Home.SERVER;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The paths of all routes, as a tree of their segments. One look tells which operation a request
 * asks for, in which database, and the names in its path.
 *
 * <p>Routes of a database are at the root, for the default database, and below {@code /db/NAME}. A
 * slash at the end of a path is ignored, unless the path of the route has one.
 */
public final class OperationPaths {
  private static final String DATABASE = "db";
  private static final SortedSet<String> NO_METHODS = Collections.emptySortedSet();
  private static final String PREFIX = "/db/:database";

  private final Node server = new Node("");
  private final Node database = new Node("");

  /** The rest of the paths that begin alike. */
  private static final class Node {
    private final Map<String, Node> literals = new HashMap<>();
    private final Map<String, Operation> byMethod = new TreeMap<>();
    private @Nullable Node variable;
    private final String name; // of the variable that leads here

    Node(String name) {
      this.name = name;
    }

    Node child(String segment) {
      if (!segment.startsWith(":")) {
        return literals.computeIfAbsent(segment, literal -> new Node(literal));
      }
      Node known = variable;
      if (known == null) {
        known = new Node(segment.substring(1));
        variable = known;
      } else if (!known.name.equals(segment.substring(1))) {
        throw new IllegalArgumentException(segment + " (expected: :" + known.name + ")");
      }
      return known;
    }
  }

  /** Creates the paths of operations that have routes. */
  public OperationPaths(Collection<Operation> routes) {
    for (Operation operation : routes) {
      Node node = operation.home() == SERVER ? server : database;
      for (String segment : segments(operation.path())) {
        node = node.child(segment);
      }
      if (node.byMethod.put(operation.method(), operation) != null
          || node.variable != null && !node.literals.isEmpty()) {
        throw new IllegalArgumentException(operation.call() + " (expected: a path of its own)");
      }
      if (operation.answersHead()) {
        node.byMethod.put("HEAD", operation);
      }
    }
  }

  private static String[] segments(String path) {
    return path.substring(path.startsWith("/") ? 1 : 0).split("/", -1);
  }

  /**
   * A path of a request.
   *
   * @param operation the operation of the path and the method; null if there is none
   * @param database the name of the database in the path; null if it names none
   * @param route the pattern of the path, which has no names of databases, collections and items;
   *     null if no route has this path
   * @param names the decoded segments of the path, by their names in the pattern
   * @param methods the methods of a path that has none for the method of the request
   */
  public record Target(
      @Nullable Operation operation,
      @Nullable String database,
      @Nullable String route,
      Map<String, String> names,
      SortedSet<String> methods) {
    /** The target of a path that cannot be decoded. */
    public static final Target NONE = new Target(null, null, null, Map.of(), NO_METHODS);
  }

  /**
   * Finds the operation of a request.
   *
   * @param path the path relative to the mount point of the routes, with escapes
   * @throws IllegalArgumentException if an escape is malformed
   */
  public Target find(String method, String path) {
    String[] segments = segments(path);
    boolean named = segments.length > 1 && segments[0].equals(DATABASE) && !segments[1].isEmpty();
    Map<String, String> names = new HashMap<>();
    Node ofServer = walk(server, segments, 0, names);
    Operation found = ofServer == null ? null : ofServer.byMethod.get(method);
    Node local = null;
    if (found == null) {
      names.clear();
      boolean bare = named && segments.length == 2; // without a slash
      local = bare ? database.literals.get("") : walk(database, segments, named ? 2 : 0, names);
      found = local == null ? null : local.byMethod.get(method);
      if (bare && found == null) {
        local = null; // other methods want the slash
      }
    }
    String name = named ? decoded(segments[1]) : null;
    if (found != null) {
      return new Target(found, name, route(found, named), names, NO_METHODS);
    }
    TreeMap<String, Operation> others = new TreeMap<>();
    for (Node node : new Node[] {ofServer, local}) {
      others.putAll(node == null ? Map.of() : node.byMethod);
    }
    String route = others.isEmpty() ? null : route(others.firstEntry().getValue(), named);
    return new Target(null, name, route, Map.of(), new TreeSet<>(others.keySet()));
  }

  private static String route(Operation operation, boolean named) {
    return named && operation.home() != SERVER ? PREFIX + operation.path() : operation.path();
  }

  private static @Nullable Node walk(
      Node root, String[] segments, int from, Map<String, String> names) {
    Node node = root;
    for (int i = from; i < segments.length; i++) {
      String segment = segments[i];
      Node next = node.literals.get(segment);
      if (next == null && segment.isEmpty()) {
        return i == segments.length - 1 ? node : null;
      }
      if (next == null) {
        next = node.variable;
        if (next == null) {
          return null;
        }
        names.put(next.name, decoded(segment));
      }
      node = next;
    }
    return node;
  }

  private static String decoded(String segment) {
    return segment.indexOf('%') < 0
        ? segment
        : URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
