// Tests of App.
