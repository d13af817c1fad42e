package io.kvreactive.examples.nearby;

import io.kvreactive.Kv;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SpatialIndex;
import java.util.SplittableRandom;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A collection of places with a spatial index. */
public final class Places {
  private static final String NAME = "places";
  private static final long SEED = 1970;

  /** The policy with a spatial index of the location and no other index. */
  private static final IndexingPolicy POLICY =
      IndexingPolicy.includeRoot("/location/*")
          .withSpatial(SpatialIndex.of("/location/?", "Point"));

  private final DocumentStore documents;
  private final DocumentCollection<Place> places;

  public Places(Kv kv) {
    documents = DocumentStore.over(kv);
    places = documents.collection(NAME, Place.class);
  }

  /** Returns the collection. */
  public DocumentCollection<Place> places() {
    return places;
  }

  /** Deletes the items of an earlier run and stores the cities and {@code points} random points. */
  public Flux<LoadProgress> fill(int points) {
    return documents
        .drop(NAME)
        .then(documents.create(NAME, CollectionDefinition.DEFAULT.withIndexingPolicy(POLICY)))
        .thenMany(
            Flux.defer(
                () -> places.load(Flux.fromIterable(Cities.all()).concatWith(points(points)))));
  }

  /** Emits random points of the globe with a uniform density, equal in every run. */
  private static Flux<Place> points(int count) {
    SplittableRandom random = new SplittableRandom(SEED);
    return Flux.range(0, count)
        .map(
            number -> {
              double longitude = random.nextDouble() * 360 - 180;
              double latitude = Math.toDegrees(Math.asin(2 * random.nextDouble() - 1));
              return Place.of("point-" + number, "point", longitude, latitude);
            });
  }

  /** Stops the background work of the collection. */
  public Mono<Void> close() {
    return documents.close();
  }
}
