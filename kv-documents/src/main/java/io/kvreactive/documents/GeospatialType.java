package io.kvreactive.documents;

/** The surface on which the shapes of a collection lie. */
public enum GeospatialType {
  /** The round earth: longitude and latitude in degrees. */
  GEOGRAPHY("Geography"),
  /** A plane. */
  GEOMETRY("Geometry");

  private final String text;

  GeospatialType(String text) {
    this.text = text;
  }

  /** Returns the name used in definitions. */
  public String text() {
    return text;
  }
}
