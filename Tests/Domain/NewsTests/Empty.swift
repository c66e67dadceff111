// Tests of News.
