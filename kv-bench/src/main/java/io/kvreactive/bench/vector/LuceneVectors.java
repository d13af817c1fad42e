package io.kvreactive.bench.vector;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.FSDirectory;

/** Lucene's HNSW index in a directory. */
final class LuceneVectors implements AutoCloseable {
  static final int MAX_DIMENSIONS = KnnVectorsFormat.DEFAULT_MAX_DIMENSIONS;

  private static final String ID = "id";
  private static final String NUMBER = "number";
  private static final String VECTOR = "vector";

  private final FSDirectory directory;
  private final IndexWriter writer;
  private DirectoryReader reader;

  LuceneVectors(Path path) throws IOException {
    directory = FSDirectory.open(path);
    writer = new IndexWriter(directory, new IndexWriterConfig());
    reader = DirectoryReader.open(writer);
  }

  /** Stores a document, which is durable after {@link #commit}. */
  void put(int number, float[] vector) {
    Document document = new Document();
    document.add(new StringField(ID, "i" + number, StringField.Store.NO));
    document.add(new StoredField(NUMBER, number));
    document.add(new KnnFloatVectorField(VECTOR, vector, VectorSimilarityFunction.EUCLIDEAN));
    try {
      writer.updateDocument(new Term(ID, "i" + number), document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void commit() {
    try {
      writer.commit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Merges the index into one segment and makes all documents searchable. */
  void merge() throws IOException {
    writer.forceMerge(1);
    writer.commit();
    reader.close();
    reader = DirectoryReader.open(directory);
  }

  /**
   * Returns the numbers of the nearest vectors that the search finds.
   *
   * @param to the vector to search for
   * @param top the number of results
   * @param searchList the number of candidates
   */
  List<Integer> closest(float[] to, int top, int searchList) {
    try {
      IndexSearcher searcher = new IndexSearcher(reader);
      ScoreDoc[] found =
          searcher.search(new KnnFloatVectorQuery(VECTOR, to, searchList), top).scoreDocs;
      StoredFields fields = searcher.storedFields();
      List<Integer> numbers = new ArrayList<>();
      for (ScoreDoc document : found) {
        numbers.add(fields.document(document.doc).getField(NUMBER).numericValue().intValue());
      }
      return numbers;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    reader.close();
    writer.close();
    directory.close();
  }
}
