// Notifications, tags, templates and registrations: values and their laws. Never knows the news.
