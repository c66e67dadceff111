// Articles, stories, categories and subscriptions: values and their laws. Never knows a push.
