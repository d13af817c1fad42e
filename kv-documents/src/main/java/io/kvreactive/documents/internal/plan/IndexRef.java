package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.layout.StoredTermIndex;
import io.kvreactive.documents.internal.layout.TupleIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.TuplePath;
import io.kvreactive.documents.internal.store.IndexAvailability;
import java.util.List;

/** A reference to an index that a plan reads. */
public sealed interface IndexRef {
  /** Returns the name, such as {@code composite#3} or {@code range:/name/?}. */
  String name();

  /**
   * Returns the kind: {@code range}, {@code composite}, {@code tuple}, or the kind of an extension.
   */
  String kind();

  /** Returns the paths, with their directions if the index has some. */
  List<String> spec();

  /** Returns true if each item has at most one entry. */
  boolean isSingle();

  /** The range index of a path. */
  record Range(IndexPath path) implements IndexRef {
    @Override
    public String name() {
      return "range:" + text();
    }

    @Override
    public String kind() {
      return "range";
    }

    @Override
    public List<String> spec() {
      return List.of(text());
    }

    @Override
    public boolean isSingle() {
      return !path.hasElements();
    }

    String text() {
      return path.text() + "/?";
    }
  }

  record Composite(CompositeIndex index) implements IndexRef {
    @Override
    public String name() {
      return IndexAvailability.composite(index.number());
    }

    @Override
    public String kind() {
      return "composite";
    }

    @Override
    public List<String> spec() {
      return index.components().stream().map(Composite::text).toList();
    }

    static String text(CompositeComponent component) {
      return component.path().text() + (component.descending() ? " DESC" : " ASC");
    }

    @Override
    public boolean isSingle() {
      return !index.hasElements();
    }
  }

  /** An index of an extension. */
  record Terms(StoredTermIndex index) implements IndexRef {
    @Override
    public String name() {
      return IndexAvailability.terms(index);
    }

    @Override
    public String kind() {
      return index.index().kind();
    }

    @Override
    public List<String> spec() {
      return index.index().spec();
    }

    @Override
    public boolean isSingle() {
      return false;
    }
  }

  record Tuple(TupleIndex index) implements IndexRef {
    @Override
    public String name() {
      return IndexAvailability.tuple(index.number());
    }

    @Override
    public String kind() {
      return "tuple";
    }

    @Override
    public List<String> spec() {
      return List.of(new TuplePath(index.array(), index.members()).text());
    }

    @Override
    public boolean isSingle() {
      return false;
    }
  }
}
