package io.kvreactive.documents.internal.path;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses a tuple path. */
final class TupleParser {
  /** Maximum number of members, as for composite indexes, whose keys have the same structure. */
  static final int MAX_MEMBERS = 8;

  private TupleParser() {}

  static TuplePath parse(PathCursor in) {
    IndexPath array = array(in);
    List<IndexPath> members = new ArrayList<>();
    do {
      if (members.size() == MAX_MEMBERS) {
        throw in.failure("A tuple has at most " + MAX_MEMBERS + " members.");
      }
      in.skipBlanks();
      IndexPath member = member(in);
      if (members.contains(member)) {
        throw in.failure("A tuple must not have a member twice.");
      }
      members.add(member);
      in.skipBlanks();
    } while (in.skip(","));
    if (in.at('{')) {
      throw in.failure("A tuple must not stand inside another.");
    }
    if (!in.at('}')) {
      throw in.failure("A ',' or the closing '}' of the tuple is expected here.");
    }
    if (members.size() < 2) {
      throw in.failure("A tuple has two members or more.");
    }
    in.skip("}");
    if (!in.skip("/?")) {
      throw in.failure("A tuple path ends with /?.");
    }
    in.end("/? must be the last segment.");
    TuplePath tuple = new TuplePath(array, members);
    if (tuple.text().length() > IndexPath.MAX_TEXT) {
      throw in.failure("The canonical form is longer than " + IndexPath.MAX_TEXT + " characters.");
    }
    return tuple;
  }

  /** Parses the array's path, up to and including the opening brace. */
  private static IndexPath array(PathCursor in) {
    List<Step> steps = new ArrayList<>();
    while (true) {
      in.slash();
      if (in.at('{')) {
        throw in.failure("A tuple needs the array wildcard [] right before it.");
      }
      if (in.at('*') || in.at('?')) {
        throw in.failure("Only the last segment can be ?.");
      }
      if (in.skip("[]/{")) {
        return new IndexPath(steps);
      }
      if (in.at("[]")) {
        throw in.failure("Only one [] may stand before a tuple, right before it.");
      }
      PathParser.checkDepth(in, steps.size());
      steps.add(in.at('[') ? in.ordinal() : in.label());
    }
  }

  private static IndexPath member(PathCursor in) {
    List<Step> steps = new ArrayList<>();
    do {
      String reason = misplaced(in, steps.isEmpty());
      if (reason != null) {
        throw in.failure(reason);
      }
      PathParser.checkDepth(in, steps.size());
      steps.add(in.at('[') ? in.ordinal() : in.label());
    } while (in.skip("/"));
    return new IndexPath(steps);
  }

  private static @Nullable String misplaced(PathCursor in, boolean first) {
    if (in.at('/')) {
      return first ? "A member must not start with '/'." : "A label must not be empty.";
    }
    if (in.at(',') || in.at('}')) {
      return "A member must not be empty.";
    }
    if (in.at('?') || in.at('*')) {
      return "A member must not end with ? or *.";
    }
    if (in.at('{')) {
      return "A tuple must not stand inside another.";
    }
    return in.at("[]") ? "The array wildcard [] must not stand inside a member." : null;
  }
}
